/** An object's own keys, typed as such: for records whose keys a type parameter names. */
export function keysOf<T extends object>(record: T): (keyof T & string)[] {
  const keys: (keyof T & string)[] = [];
  for (const key in record) if (Object.hasOwn(record, key)) keys.push(key);
  return keys;
}
