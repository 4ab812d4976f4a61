import type { z } from 'zod'
import type { InterfaceClient } from './interface-client.ts'

export interface Tool {
  name: string
  title: string
  /** For a model: when to use it, and what comes back. */
  description: string
  input: z.ZodObject
  /** What is in `text` is sent as a text beside the data, not as JSON. */
  output: z.ZodObject
  /** Changes nothing. */
  isReadOnly?: boolean
  /** May remove or replace what was there; what is removed can be restored. */
  isDestructive?: boolean
  /** The same call again changes nothing more. */
  isIdempotent?: boolean
  run(
    client: InterfaceClient,
    input: Record<string, unknown>,
    services: ToolServices,
  ): Promise<Record<string, unknown>>
}

/** What tools need beside the interface. */
export interface ToolServices {
  /** The text with `@Name` as `@[Name](id)`. */
  canonicalMentions(text: string): Promise<string>
}

interface ToolDefinition<Input extends z.ZodObject, Output extends z.ZodObject>
  extends Omit<Tool, 'input' | 'output' | 'run'> {
  input: Input
  output: Output
  run(client: InterfaceClient, input: z.output<Input>, services: ToolServices): Promise<z.input<Output>>
}

export const tool = <Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: ToolDefinition<Input, Output>,
): Tool => definition as unknown as Tool

/** The entries of an object that are there. */
export const present = <T extends object>(fields: T): Partial<T> =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  ) as Partial<T>
