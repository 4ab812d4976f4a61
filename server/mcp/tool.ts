import type { z } from 'zod'
import type { Workspace } from '../../core/workspace/index.ts'
import type { InterfaceClient } from './interface-client.ts'

export interface Tool {
  name: string
  title: string
  /** Tells a model when to use it and what it returns. */
  description: string
  input: z.ZodObject
  /** A field `text` is sent as text, the rest as JSON. */
  output: z.ZodObject
  isReadOnly?: boolean
  /** May remove or replace content. What is removed can be restored. */
  isDestructive?: boolean
  isIdempotent?: boolean
  run(
    client: InterfaceClient,
    input: Record<string, unknown>,
    mentions: Mentions,
  ): Promise<Record<string, unknown>>
}

/** The only service that the interface does not offer. */
export type Mentions = Pick<Workspace['rendering']['mentions'], 'makeCanonical'>

interface ToolDefinition<Input extends z.ZodObject, Output extends z.ZodObject>
  extends Omit<Tool, 'input' | 'output' | 'run'> {
  input: Input
  output: Output
  run(client: InterfaceClient, input: z.output<Input>, mentions: Mentions): Promise<z.input<Output>>
}

export const tool = <Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: ToolDefinition<Input, Output>,
): Tool => definition as unknown as Tool

/** Leaves out undefined and null. */
export const present = <T extends object>(fields: T): Partial<T> =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  ) as Partial<T>
