/** How long deleted documents can be restored under their id. */
export const trashMs = 30 * 24 * 60 * 60 * 1000
