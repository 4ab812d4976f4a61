/** What is saved on the disk counts as the owner’s, but anyone may have saved it. */
export const diskWriter = 'Someone with access to the disk'
