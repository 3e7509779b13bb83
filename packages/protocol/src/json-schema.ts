import { z } from 'zod';
import { capabilitiesSchema } from './capabilities.ts';
import { errorInfoSchema } from './error-info.ts';
import { knownEventSchema } from './event.ts';
import { permissionAnswerSchema, questionAnswerSchema } from './permission.ts';
import { probeSchema } from './probe.ts';
import { runRequestSchema } from './run-request.ts';
import { runResultSchema } from './run-result.ts';
import { mcpTaskPacketSchema } from './task-packet.ts';

const EXPORTED = {
  AgentEvent: knownEventSchema,
  RunRequest: runRequestSchema,
  RunResult: runResultSchema,
  Capabilities: capabilitiesSchema,
  Probe: probeSchema,
  PermissionAnswer: permissionAnswerSchema,
  QuestionAnswer: questionAnswerSchema,
  ErrorInfo: errorInfoSchema,
  McpTaskPacket: mcpTaskPacketSchema,
} as const;

export type JsonSchemaName = keyof typeof EXPORTED;
export const JSON_SCHEMA_NAMES = Object.keys(EXPORTED) as JsonSchemaName[];

/** Gives one part of the vocabulary as a JSON Schema (draft 2020-12). */
export function jsonSchemaOf(name: JsonSchemaName): Record<string, unknown> {
  return z.toJSONSchema(EXPORTED[name]) as Record<string, unknown>;
}
