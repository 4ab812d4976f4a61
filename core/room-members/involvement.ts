/** Which messages of a room notify a member (`docs/interface.md#rooms-and-messages`). */
export const involvements = ['everything', 'mentions', 'nothing', 'invisible'] as const
export type Involvement = (typeof involvements)[number]
