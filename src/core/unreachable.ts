/** Closes a union. Compiles only if every kind is handled; throws when foreign data does not match the type. */
export const unreachable = (value: never): never => {
  throw new Error(`Unhandled case: ${JSON.stringify(value)}`)
}
