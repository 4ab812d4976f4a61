import { constants } from 'node:fs'

/** Never through a link, never waiting for the other end of a FIFO. Windows has neither flag. */
export const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
