import { requireMember, requireProject, withWorkspace } from './administer.ts'
import type { Arguments } from './arguments.ts'
import { isPrivateHome } from './config.ts'
import { table } from './table.ts'

export async function addProject(args: Arguments): Promise<undefined> {
  const name = args.require('name')
  const slug = args.text('slug')
  const leadText = args.text('lead')
  const { project, lead } = await withWorkspace(
    args.home,
    async (administration) => {
      const lead =
        leadText === undefined ? administration.members.firstOwner() : requireMember(administration, leadText)
      const request = { name, lead, ...(slug === undefined ? {} : { slug }) }
      return { project: await administration.addProject(request), lead }
    },
    { isPrivate: isPrivateHome(args.home, args.context.env) },
  )
  args.print(
    { id: project.id, slug: project.slug, name: project.name },
    `The project ${project.name} is in projects/${project.folder}, with ${lead.name} as its lead.`,
  )
}

export async function joinProject(args: Arguments): Promise<undefined> {
  const projectText = args.require('project')
  const memberText = args.require('member')
  const role = args.oneOf('role', ['lead', 'member']) ?? 'member'
  const { project, member } = await withWorkspace(args.home, async (administration) => {
    const project = requireProject(administration, projectText)
    const member = requireMember(administration, memberText)
    await administration.projects.join(project, member, role)
    return { project, member }
  })
  args.print(
    { project: project.slug, memberId: member.id, role },
    `${member.name} is in the project ${project.name}, as ${role}.`,
  )
}

export async function listProjects(args: Arguments): Promise<undefined> {
  const projects = await withWorkspace(args.home, (administration) =>
    administration.projects.all().map((project) => ({
      id: project.id,
      slug: project.slug,
      name: project.name,
      archivedAt: project.archivedMs,
      members: administration.projects.members(project).length,
    })),
  )
  args.print(
    { projects },
    table(
      ['id', 'slug', 'name', 'members', 'state'],
      projects.map(({ id, slug, name, members, archivedAt }) => [
        id,
        slug,
        name,
        String(members),
        archivedAt === null ? 'open' : 'archived',
      ]),
    ),
  )
}
