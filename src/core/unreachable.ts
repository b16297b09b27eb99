/** Closes a union: compiles only when every kind was handled; throws if data from outside broke the type. */
export const unreachable = (value: never): never => {
  throw new Error(`Unhandled case: ${JSON.stringify(value)}`)
}
