/** Header of every fetch. A service that receives it at an image address refuses the request, which would be a fetch of a fetch. */
export const HOP_HEADER = 'x-whittle-hop'
