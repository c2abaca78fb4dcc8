import { type ComponentType, type LazyExoticComponent, lazy } from "react";

/** A component that is loaded when it is first shown. */
export function lazily<Props extends object, Name extends string>(
  load: () => Promise<{ [name in Name]: ComponentType<Props> }>,
  name: Name,
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => ({ default: (await load())[name] }));
}
