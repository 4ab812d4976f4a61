import type { TreeDeps } from './deps.ts'
import { createDiskError, toDiskError } from './disk-errors.ts'
import { joinHome } from './paths.ts'
import { displacedBy, linkOrRename } from './staging.ts'
import { sameContent, sameFile, sameStamp, stampAfter, stampOf, statOrNull, statPath } from './stamps.ts'
import type { Displaced, FileStamp, PlacedFile, Staged, Tree } from './types.ts'

interface PlaceAttempt {
  expected: FileStamp | null
  isJournaled: boolean
  displaced: Displaced[]
  attempt: number
}

/** Other programs may create and remove files of the name in between. */
const placeAttempts = 5

export const filePlacer = (tree: TreeDeps): Pick<Tree, 'place' | 'placeNew'> => ({
  place: (staged, path, expected, { isJournaled = false } = {}) =>
    place(tree, staged, path, { expected, isJournaled }),
  placeNew: (staged, path) => placeNew(tree, staged, path),
})

function place(
  tree: TreeDeps,
  staged: Staged,
  path: string,
  how: Pick<PlaceAttempt, 'expected' | 'isJournaled'>,
): PlacedFile {
  const { folders, staging } = tree
  const created = folders.createParents(path, 'written')
  const displaced: Displaced[] = []
  try {
    for (let attempt = 0; attempt < placeAttempts; attempt++) {
      const stamp = tryToPlace(tree, staged, path, { ...how, displaced, attempt })
      if (stamp) return { stamp, displaced }
    }
    throw createDiskError('EBUSY', 'written', path)
  } catch (error) {
    folders.removeCreated(created)
    for (const { name } of displaced) staging.discard(name)
    throw toDiskError(error, 'written', path)
  }
}

/** Null if the name was taken or freed since the check. */
function tryToPlace(tree: TreeDeps, staged: Staged, path: string, attempt: PlaceAttempt): FileStamp | null {
  const { fs, home, staging } = tree
  const target = joinHome(home, path)
  const existing = statOrNull(fs, target)
  if (existing === null) return moveStaged(tree, staged, target)
  if (!existing.isFile()) throw createDiskError('EEXIST', 'written', path)
  // A crash came between the link and the removal of the first name.
  if (sameFile(existing, staged.stamp)) {
    staging.discard(staged.name)
    return stampAfter(fs, target, staged.stamp)
  }
  return replace(tree, staged, path, stampOf(existing), attempt)
}

/** A save in between makes the link fail, and the next attempt sets it aside: it is never replaced unseen. */
function replace(
  tree: TreeDeps,
  staged: Staged,
  path: string,
  existing: FileStamp,
  { expected, isJournaled, displaced, attempt }: PlaceAttempt,
): FileStamp | null {
  const { home, staging } = tree
  const name = displacedBy(staged.name, attempt)
  const isAside = isJournaled ? staging.moveAside(path, name) : staging.setAside(path, name)
  if (!isAside) return null
  let stamp: FileStamp | null
  try {
    requireFile(tree, path, name)
    stamp = moveStaged(tree, staged, joinHome(home, path))
  } catch (error) {
    staging.restoreIfPossible(path, name)
    throw error
  }
  if (!isJournaled) staging.confirmPlaced(name)
  const displacedStamp = staging.stamp(name)
  const wasExpected =
    displacedStamp !== null &&
    expected !== null &&
    sameStamp(existing, expected) &&
    sameContent(displacedStamp, existing)
  displaced.push({ name, stamp: displacedStamp, wasExpected })
  return stamp
}

/** Something else may have the path since the check. What cannot be read is treated as a file. */
function requireFile({ fs, staging }: TreeDeps, path: string, name: string): void {
  const stat = statPath(fs, staging.absolute(name), Infinity)
  if (stat.kind === 'skipped' && stat.reason !== 'unreadable')
    throw createDiskError('EEXIST', 'written', path)
}

function placeNew(tree: TreeDeps, staged: Staged, path: string): FileStamp | null {
  const { fs, home, folders } = tree
  const created = folders.createParents(path, 'written')
  const target = joinHome(home, path)
  try {
    return statOrNull(fs, target) === null ? moveStaged(tree, staged, target) : null
  } catch (error) {
    folders.removeCreated(created)
    throw toDiskError(error, 'written', path)
  }
}

function moveStaged({ fs, staging }: TreeDeps, staged: Staged, target: string): FileStamp | null {
  const outcome = linkOrRename(fs, staging.absolute(staged.name), target)
  if (outcome === 'taken') return null
  if (outcome === 'linked') staging.discard(staged.name)
  return stampAfter(fs, target, staged.stamp)
}
