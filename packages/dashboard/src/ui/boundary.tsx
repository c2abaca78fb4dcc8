import { Component, type ReactNode } from "react";
import { Button } from "./button.tsx";
import { Notice } from "./notice.tsx";

/** Keeps a fault of one part from blanking the page: says what happened, or shows `instead`. */
export class Boundary extends Component<
  { children: ReactNode; instead?: ReactNode },
  { fault: string | null }
> {
  override state: { fault: string | null } = { fault: null };

  static getDerivedStateFromError(error: unknown): { fault: string } {
    return { fault: error instanceof Error ? error.message : String(error) };
  }

  override render(): ReactNode {
    if (this.state.fault === null) return this.props.children;
    if (this.props.instead !== undefined) return this.props.instead;
    return (
      <div className="p-4">
        <Notice tone="bad" title="This part of the page failed">
          <p className="foreign">{this.state.fault}</p>
          <Button size="small" className="mt-2" onClick={() => location.reload()}>
            Load the page again
          </Button>
        </Notice>
      </div>
    );
  }
}
