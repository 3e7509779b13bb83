import { BatonError } from './error.ts';

/** A JSON Schema, as a value. */
export type JsonSchema = Readonly<Record<string, unknown>>;

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };
type StandardIssue = {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
};

/** A schema of a library: the part of standardschema.dev, implemented by Zod 4 and others, that Baton uses. */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    /** Standard JSON Schema; without it Baton cannot tell the agent which form the answer must have. */
    readonly jsonSchema?:
      | {
          readonly input: (options: {
            readonly target: 'draft-2020-12';
          }) => Record<string, unknown>;
        }
      | undefined;
  };
}

/** Schema that an answer must match. */
export type OutputSchema = JsonSchema | StandardSchema;

/** The type of `result.structured`: the output of a Standard Schema, or the values that a JSON Schema describes. */
export type StructuredOf<Schema> =
  Schema extends StandardSchema<infer Output> ? Output : FromJsonSchema<Schema>;

/** The values that a JSON Schema describes, as far as its type shows: unknown for unusual keywords. */
export type FromJsonSchema<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly anyOf: readonly (infer Each)[] }
      ? FromJsonSchema<Each>
      : Schema extends { readonly type: readonly (infer Type)[] }
        ? OfType<Type, Schema>
        : Schema extends { readonly type: infer Type }
          ? OfType<Type, Schema>
          : unknown;

type OfType<Type, Schema> = Type extends keyof Scalars
  ? Scalars[Type]
  : Type extends 'array'
    ? (Schema extends { readonly items: infer Items } ? FromJsonSchema<Items> : unknown)[]
    : Type extends 'object'
      ? ObjectOf<Schema>
      : unknown;

type Scalars = { string: string; number: number; integer: number; boolean: boolean; null: null };

type ObjectOf<Schema> = Schema extends { readonly properties: infer Properties }
  ? Flat<
      {
        -readonly [Name in keyof Properties as Name extends RequiredIn<Schema>
          ? Name
          : never]: FromJsonSchema<Properties[Name]>;
      } & {
        -readonly [Name in keyof Properties as Name extends RequiredIn<Schema>
          ? never
          : Name]?: FromJsonSchema<Properties[Name]>;
      }
    >
  : Record<string, unknown>;

type RequiredIn<Schema> = Schema extends { readonly required: readonly (infer Name)[] }
  ? Name
  : never;

type Flat<T> = { [Name in keyof T]: T[Name] };

/** Parses a structured answer, or returns the reason why it does not match. */
export type ParseOutput = (
  value: unknown,
) => Promise<{ ok: true; value: unknown } | { ok: false; problem: string }>;

/** Returns the JSON Schema of an output schema, and the function of its library that parses an answer. */
export function readOutputSchema(schema: OutputSchema | undefined): {
  json: Record<string, unknown> | undefined;
  parse: ParseOutput | undefined;
} {
  if (!isStandard(schema)) return { json: schema, parse: undefined };
  const { jsonSchema, validate } = schema['~standard'];
  if (!jsonSchema) {
    throw new BatonError('usage', 'The output schema cannot be converted to JSON Schema.', {
      hint: 'Use a library that implements Standard JSON Schema, such as Zod 4.2, or pass a JSON Schema.',
    });
  }
  return {
    json: jsonSchemaOf(jsonSchema),
    parse: async (value) => {
      try {
        const result = await validate(value);
        if (!result.issues) return { ok: true, value: result.value };
        return { ok: false, problem: result.issues.map(issueText).join(', ') };
      } catch (error) {
        // A transform of the caller may throw; the result of a run never rejects.
        return { ok: false, problem: issueText({ message: messageOf(error) }) };
      }
    },
  };
}

function isStandard(schema: OutputSchema | undefined): schema is StandardSchema {
  // The schemas of some libraries are functions.
  const isValue = typeof schema === 'object' || typeof schema === 'function';
  return isValue && schema !== null && '~standard' in schema;
}

/** Converts the input side of the schema: the agent's answer is the input, transforms run afterwards. */
function jsonSchemaOf({ input }: NonNullable<StandardSchema['~standard']['jsonSchema']>) {
  try {
    return input({ target: 'draft-2020-12' });
  } catch (error) {
    const message = `The output schema cannot be converted to JSON Schema: ${messageOf(error)}`;
    throw new BatonError('usage', message);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function issueText({ message, path = [] }: StandardIssue): string {
  const keys = path.map((part) => String(typeof part === 'object' ? part.key : part));
  return `${['answer', ...keys].join('/')} ${message}`;
}
