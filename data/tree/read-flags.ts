import { constants } from 'node:fs'

/** Follows no link, and does not wait for the other end of a FIFO. Windows has neither flag. */
export const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
