/** Shorter texts are parsed while somebody waits, in bytes: it is hardly noticed. */
export const largeTextBytes = 16 * 1024
