import type { Load } from './load.ts'

const documentBytes = 4096

export const editedDocuments = 1000
export const editors = 32

/** A document of 4 kB. Its title matches its file name, and `{d}` makes each paragraph unique. */
const paragraphs = (() => {
  let text = '# Edited {d}\n\n- first things first in {d}\n- then the rest\n'
  for (let part = 1; text.length < documentBytes - 400; part++)
    text += `\nPart ${part} of {d}: the **room** keeps a copy of every page, and [the plan](plan.md) says who reads it, when, and what \`comes\` next. Whoever is late reads part ${part} of {d} once more, and _then_ answers.\n`
  return text
})()

/** @param put stores one document */
export async function putDocuments(put: (name: string, body: string) => Promise<unknown>): Promise<void> {
  const putFrom = async (first: number) => {
    for (let number = first; number < editedDocuments; number += editors)
      await put(nameOf(String(number)), paragraphs.replaceAll('{d}', String(number)))
  }
  await Promise.all(Array.from({ length: editors }, (_, first) => putFrom(first)))
}

/** Changes one paragraph at a time, of all documents in turns. @param folder without a slash at its end */
export function editsOf(folder: string): Omit<Load, 'port' | 'durationMs' | 'status'> {
  return {
    method: 'PUT',
    path: `${folder}/${nameOf('{d}')}`,
    body: `${paragraphs}\nTake {n} changes this paragraph, and leaves all others as they are.\n`,
    connections: editors,
    documents: editedDocuments,
  }
}

const nameOf = (number: string) => `edited-${number}.md`
