/** An object's own keys, with their type: for records whose keys come from a type parameter. */
export function keysOf<T extends object>(record: T): (keyof T & string)[] {
  const keys: (keyof T & string)[] = [];
  for (const key in record) if (Object.hasOwn(record, key)) keys.push(key);
  return keys;
}
