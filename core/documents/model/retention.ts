/** How long what was deleted is kept; deleted documents come back under their id for as long. */
export const trashMs = 30 * 24 * 60 * 60 * 1000
