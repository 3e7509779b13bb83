import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import { describeServices } from '../services/describe-services.ts';
import { openApiDocument } from './document.ts';

const document = await describeServices(openApiDocument);

describe('the OpenAPI document', () => {
  test('is one, as a validator sees it', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
  });

  test('has every method of every service, each with its own path', async () => {
    const names = await describeServices((services) =>
      services.flatMap(({ path, methods }) =>
        Object.keys(methods).map((name) => `${path}.${name}`),
      ),
    );
    const described = Object.values(document.paths).flatMap((verbs) =>
      Object.values(verbs).map((each) => (each as { operationId: string }).operationId),
    );
    expect(described.sort()).toEqual(names.sort());
  });

  test('shows custom methods with the id in their path, where they have one', () => {
    const { post } = document.paths['/sessions/{session_id}/executeTask'] ?? {};
    expect(post).toMatchObject({
      parameters: [{ name: 'session_id', in: 'path', required: true }],
      requestBody: { content: { 'application/json': { schema: { required: ['prompt'] } } } },
      responses: {
        200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Task' } } } },
      },
    });
    expect(document.paths).toHaveProperty(['/permissions/answer', 'post']);
  });

  test('has no dangling references', () => {
    const text = JSON.stringify(document);
    const names = [...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(
      ([, name = '']) => name,
    );
    expect(names.length).toBeGreaterThan(10);
    for (const name of names) expect(document.components.schemas).toHaveProperty(name);
    expect(text).not.toContain('#/$defs/');
  });

  test('lets everybody log in, and asks all others for a token', () => {
    expect(document.security).toEqual([{ token: [] }]);
    expect(document.paths['/authentication']?.post).toMatchObject({ security: [] });
    expect(document.paths['/sessions']?.get).not.toHaveProperty('security');
  });
});
