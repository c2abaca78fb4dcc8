import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import "./style.css";

const place = document.getElementById("page");
if (place === null) throw new Error("the page has no #page");
createRoot(place).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
