import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Failure } from "./failure.tsx";
import { Loading } from "./notice.tsx";

/** A query's data through `children`; before it is there, what is the matter. Old data stays when a later call fails,
 *  and the failure is said above it. */
export function Loaded<T>({
  query,
  children,
}: {
  query: UseQueryResult<T>;
  children: (data: T) => ReactNode;
}) {
  const again = () => void query.refetch();
  if (query.data === undefined) {
    if (query.error === null) return <Loading />;
    return (
      <div className="p-4">
        <Failure error={query.error} again={again} />
      </div>
    );
  }
  return (
    <>
      {query.error !== null && (
        <div className="p-2">
          <Failure error={query.error} again={again} />
        </div>
      )}
      {children(query.data)}
    </>
  );
}
