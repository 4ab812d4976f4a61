/** In bytes: parsing shorter texts during a request is hardly noticeable. */
export const largeTextBytes = 16 * 1024
