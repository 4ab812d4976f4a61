/** A save on the disk counts as the owner's, but anyone may have made it. */
export const someoneOnDisk = 'Someone with access to the disk'
