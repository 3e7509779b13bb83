import manifest from '../../package.json' with { type: 'json' };
import { type Field, fieldsOf, typeOf } from '../schema/field.ts';
import { type JsonSchema, schemaOfResult } from '../schema/json-schema.ts';
import type { ServiceDefinition } from '../service/definition.ts';
import { type Html, html } from './html.ts';
import { type Operation, operationsOf } from './operation.ts';
import { STYLE } from './style.ts';

const EXAMPLE = `curl -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
  -d '{ "cwd": "/srv/project", "backend": "claude" }' http://127.0.0.1:3030/sessions`;

/** Describes services on a page for people, which needs no scripts. */
export function apiPage(services: readonly ServiceDefinition[]): string {
  const parts = new Map<string, JsonSchema>();
  const sections = services.map((service) => section(service, parts));
  const names = [...parts.keys()].sort();
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Baton API</title>
<link rel="icon" href="/app/icon.svg" type="image/svg+xml">
<style>${{ html: STYLE }}</style>
</head>
<body>
<nav aria-label="Services">
<a class="name" href="#top">Baton</a>
<small>version ${manifest.version}</small>
<ul>${services.map(({ path }) => html`<li><a href="#${path}">${path}</a></li>`)}
<li><a href="#records">Records</a></li></ul>
</nav>
<main id="top">
<h1>API of this daemon</h1>
<p class="lead">Durable sessions of coding agents: prompts are queued, executors run them, people answer their requests, and every follower gets each event exactly once and in order.</p>
<p>All methods except login require a bearer token. Request bodies are JSON. All methods are also available over WebSocket (Socket.IO). See also the <a href="/openapi.json">OpenAPI document</a>.</p>
<pre>${EXAMPLE}</pre>
${sections}
<h2 id="records">Records</h2>
<p class="lead">Returned by many methods. Clients must ignore unknown fields.</p>
${names.map((name) => record(name, parts.get(name) ?? {}))}
</main>
</body>
</html>
`;
  return page.html;
}

function section(service: ServiceDefinition, parts: Map<string, JsonSchema>): Html {
  const calls = operationsOf(service).map((operation) => card(operation, parts));
  return html`<section><h2 id="${service.path}">${service.path}</h2>
<p class="lead">${service.about}</p>
${calls}</section>
`;
}

function card(operation: Operation, parts: Map<string, JsonSchema>): Html {
  const { verb, path, allow, about, query, body, result } = operation;
  const head = html`<span class="call"><span class="verb ${verb}">${verb.toUpperCase()}</span>
<span class="path">${path}</span>
<span class="who">${allow.map((who) => html`<span>${who}</span>`)}</span></span>
<span class="about">${about}</span>`;
  const given = schemaOfResult(result, parts);
  const tables = [
    query && fieldTable('Query', query),
    body && fieldTable('Body', body),
    answer(given),
  ].filter((each) => each !== undefined);
  return html`<details><summary>${head}</summary><div class="fields">${tables}</div></details>
`;
}

function answer(schema: JsonSchema): Html {
  const items = schema.type === 'array' ? (schema.items as JsonSchema) : undefined;
  const title = items ? 'Response, a list of' : 'Response';
  const shown = items ?? schema;
  const name = typeof shown.$ref === 'string' ? typeOf(shown) : undefined;
  if (name) return html`<h3>${title}</h3><a href="#record-${name}">${name}</a>`;
  return fieldTable(title, shown);
}

function fieldTable(title: string, schema: JsonSchema): Html {
  return html`<h3>${title}</h3>${rows(fieldsOf(schema), title !== 'Response')}`;
}

function record(name: string, schema: JsonSchema): Html {
  return html`<details id="record-${name}"><summary><span class="path">${name}</span></summary>
<div class="fields">${rows(fieldsOf(schema), false)}</div></details>
`;
}

function rows(fields: readonly Field[], isRequest: boolean): Html {
  return html`<table>${fields.map(
    ({ name, type, isRequired }) =>
      html`<tr><td><code>${name}</code>${isRequest && isRequired && html`<span class="must">required</span>`}</td><td>${linked(type)}</td></tr>`,
  )}</table>`;
}

/** Names of records lead to them. */
function linked(type: string): Html {
  const [, before = '', name, after = ''] = /^(.*?)\b([A-Z]\w+)\b(.*)$/.exec(type) ?? [];
  if (name === undefined || type.includes('"')) return html`${type}`;
  return html`${before}<a href="#record-${name}">${name}</a>${after}`;
}
