import { z } from 'zod';
import { actionSchema } from './action.ts';
import { capabilitiesSchema } from './capabilities.ts';
import { errorInfoSchema } from './error-info.ts';
import { knownEventSchema } from './event.ts';
import {
  permissionAnswerSchema,
  permissionRequestSchema,
  questionAnswerSchema,
  questionRequestSchema,
} from './permission.ts';
import { probeSchema } from './probe.ts';
import { runRequestSchema } from './run-request.ts';
import { outcomeSchema, runResultSchema } from './run-result.ts';
import { stopReportSchema } from './stop.ts';
import { mcpTaskPacketSchema } from './task-packet.ts';
import { usageSchema } from './usage.ts';

const EXPORTED = {
  AgentEvent: knownEventSchema,
  RunRequest: runRequestSchema,
  RunResult: runResultSchema,
  Outcome: outcomeSchema,
  StopReport: stopReportSchema,
  Usage: usageSchema,
  Action: actionSchema,
  Capabilities: capabilitiesSchema,
  Probe: probeSchema,
  PermissionRequest: permissionRequestSchema,
  PermissionAnswer: permissionAnswerSchema,
  QuestionRequest: questionRequestSchema,
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
