import { describeServices, fieldsOf, type Operation, operationsOf } from '@baton/daemon';

/** Every method of every service, as docs/api.md shows them. */
export function apiReference(): Promise<string> {
  return describeServices((services) =>
    services
      .map((service) => {
        const methods = operationsOf(service).map(described);
        return [`## ${service.path}`, service.about, ...methods].join('\n\n');
      })
      .join('\n\n'),
  );
}

function described({ method, verb, path, allow, about, query, body }: Operation): string {
  const fields = fieldsOf(query ?? body ?? {}).map(
    ({ name, type, isRequired }) => `\`${name}\`${isRequired ? '' : '?'} ${type}`,
  );
  const head = `**${method}** · \`${verb.toUpperCase()} ${path}\` · ${allow.join(', ')}  \n${about}`;
  return fields.length === 0 ? head : `${head}  \nTakes: ${fields.join('; ')}.`;
}
