/** Deleted documents can be restored under their id until then. */
export const trashMs = 30 * 24 * 60 * 60 * 1000
