/** The built page: its folder. */
export const PAGE: URL = new URL("./page/", import.meta.url);
/** The OpenAPI document, which a test keeps in step with the contract. */
export const OPEN_API: URL = new URL("../openapi.json", import.meta.url);
