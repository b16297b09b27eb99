/** A name that is safe in a line and a terminal: control characters are escaped as in JSON. */
export const showName = (path: string): string =>
  path.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (character) =>
    character === '\n' ? '\\n' : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
