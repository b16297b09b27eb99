/** Host and path of an address, without its user and password. */
export const hostAndPath = (url: string): string => {
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}
