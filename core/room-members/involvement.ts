/** How much of a room a member wants to hear of (`docs/interface.md#rooms-and-messages`). */
export const involvements = ['everything', 'mentions', 'nothing', 'invisible'] as const
export type Involvement = (typeof involvements)[number]
