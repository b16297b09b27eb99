/** Header of every fetch. The service refuses a request with it at an image address, which prevents loops between services. */
export const HOP_HEADER = 'x-whittle-hop'
