/** The most cards that one pull request is linked to. */
const maxCards = 20

/**
 * How a card is named in a text: `[[c:12]]` and `c:12`, `card 12`, `card #12`, `card-12` and `card/12`, or by its file as
 * in `0012-fix-login`. `#12` alone is an issue of the forge.
 */
const inText =
  /(?<![\w:])c:(\d{1,9})(?![\w-])|(?<![a-z\d])card(?:[ _:/-]#?|#| #)(\d{1,9})(?![a-z\d])|(?<![\w.-])(\d{4,9})-(?=[a-z])/gi

/** How a branch is named after a card: `12-fix-login`, also behind a prefix, as in `feature/12-fix-login`. */
const inBranch = /(?:^|\/)(\d{1,9})(?=[-_/]|$)/g

/**
 * The numbers of the cards that a pull request names in its title, text or branch, in the order in which it does.
 * @param isCard whether there is a card of that number
 */
export function cardsNamedIn(
  { title, description, head }: { title: string; description: string; head: string },
  isCard: (number: number) => boolean,
): number[] {
  const numbers = new Set<number>()
  const named = [
    ...title.matchAll(inText),
    ...head.matchAll(inText),
    ...head.matchAll(inBranch),
    ...description.matchAll(inText),
  ]
  for (const [, ...groups] of named) {
    const number = Number(groups.find((group) => group !== undefined))
    if (numbers.size < maxCards && isCard(number)) numbers.add(number)
  }
  return [...numbers]
}
