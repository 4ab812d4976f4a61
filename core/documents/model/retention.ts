/** Deleted documents can be restored under their id for this time. */
export const trashMs = 30 * 24 * 60 * 60 * 1000
