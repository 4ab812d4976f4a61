const maxCards = 20

/** Matches `[[c:12]]`, `c:12`, `card 12`, `0012-fix-login` and the like. `#12` is an issue of the forge. */
const inText =
  /(?<![\w:])c:(\d{1,9})(?![\w-])|(?<![a-z\d])card(?:[ _:/-]#?|#| #)(\d{1,9})(?![a-z\d])|(?<![\w.-])(\d{4,9})-(?=[a-z])/gi

/** Matches `12-fix-login`, also after a prefix, as in `feature/12-fix-login`. */
const inBranch = /(?:^|\/)(\d{1,9})(?=[-_/]|$)/g

export function cardsNamedIn(
  { title, description, head }: { title: string; description: string; head: string },
  isCard: (number: number) => boolean,
): number[] {
  const numbers = new Set<number>()
  const matches = [
    ...title.matchAll(inText),
    ...head.matchAll(inText),
    ...head.matchAll(inBranch),
    ...description.matchAll(inText),
  ]
  for (const [, ...groups] of matches) {
    const number = Number(groups.find((group) => group !== undefined))
    if (numbers.size < maxCards && isCard(number)) numbers.add(number)
  }
  return [...numbers]
}
