const KEY = /^[0-9a-f]{32,128}$/

/** Whether a text is a key of a result: at least 128 bits in hex. Other texts are never used in paths. */
export const isResultKey = (text: string): boolean => KEY.test(text)

/** Throws for a text that is no key of a result. */
export const assertResultKey = (text: string): void => {
  if (!isResultKey(text)) throw new Error(`"${text}" is not a key of at least 128 bits in hex.`)
}
