import { findDifferences } from '../core/doctor/index.ts'
import { requireWorkspace } from '../core/home/home.ts'
import { requireProject, withWorkspace } from './administer.ts'
import type { Arguments } from './arguments.ts'

export async function doctor(args: Arguments): Promise<number> {
  const confirmed = args.text('confirm-deletions')
  return confirmed === undefined ? compare(args) : confirmDeletions(args, confirmed)
}

async function compare(args: Arguments): Promise<number> {
  requireWorkspace(args.home)
  const { findings, documents } = await findDifferences(args.home)
  const lines = findings.map(({ path, problem, mend }) => `${path}: ${problem} ${mend}`)
  args.print({ findings, documents }, lines.length > 0 ? lines.join('\n') : noDifferencesText(documents))
  return findings.length > 0 ? 1 : 0
}

async function confirmDeletions(args: Arguments, text: string): Promise<number> {
  const project = await withWorkspace(args.home, (administration) =>
    administration.projects.confirmDeletions(requireProject(administration, text)),
  )
  args.print(
    { project: project.slug, deletionsConfirmedAt: project.deletionsConfirmedMs },
    `Files of ${project.name} that are missing from the disk will be deleted.`,
  )
  return 0
}

const noDifferencesText = (documents: number) =>
  documents === 0
    ? 'There are no documents on the disk or in the database.'
    : `The disk and the database agree on all ${documents} documents.`
