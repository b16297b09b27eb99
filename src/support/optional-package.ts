/** Whether an error means that the package `name` itself is missing, not one of its dependencies. */
const isMissing = (error: unknown, name: string): boolean =>
  error instanceof Error &&
  'code' in error &&
  error.code === 'ERR_MODULE_NOT_FOUND' &&
  error.message.includes(`'${name}'`)

/**
 * Loads a package that only `setting` requires. `load` imports `name`. If the package is missing, throws one sentence with the command
 * that installs it.
 */
export const loadOptional = async <Loaded>(
  { name, setting }: { readonly name: string; readonly setting: string },
  load: () => Promise<Loaded>,
): Promise<Loaded> => {
  try {
    return await load()
  } catch (error) {
    if (!isMissing(error, name)) throw error
    throw new Error(
      `${setting} needs the package "${name}", which is not installed. Install it next to Whittle: npm install ${name}`,
      { cause: error },
    )
  }
}
