import type { McpServerRecord } from '@baton/client';
import { attempt } from '../../data/attempt.ts';
import { useDaemon, useMay } from '../../data/daemon.tsx';
import { makeStale } from '../../data/queries.ts';
import { Badge } from '../../design/badge.tsx';
import { Button, IconButton } from '../../design/button.tsx';
import { CheckField } from '../../design/field.tsx';
import { Row } from '../../design/rows.tsx';
import { some } from '../../text/amounts.ts';
import { fieldsOf } from './server-config.ts';

type Props = { server: McpServerRecord; onEdit: () => void; onRemove: () => void };

/** One MCP server, with what an owner can do about it. */
export function Server({ server, onEdit, onRemove }: Props) {
  const { client } = useDaemon();
  const mayChange = useMay('owner');
  const { name, config, enabled } = server;
  const { kind, command, args, url } = fieldsOf(config);
  const secrets = Object.keys({ ...Object(config.env), ...Object(config.headers) }).length;
  const enable = (on: boolean) =>
    attempt(async () => {
      await client.mcpServers.patch(name, { enabled: on });
      makeStale('mcpServers');
    });
  return (
    <Row
      title={<span dir="auto">{name}</span>}
      badges={!enabled && !mayChange && <Badge>off</Badge>}
      facts={[
        kind,
        <code key="what">
          {kind === 'stdio' ? [command, ...args.split('\n')].join(' ').trim() : url}
        </code>,
        secrets > 0 && some(secrets, kind === 'stdio' ? 'variable' : 'header'),
      ]}
      actions={
        mayChange && (
          <>
            <CheckField
              label="On"
              aria-label={`${name} is on`}
              checked={enabled}
              onChange={(event) => enable(event.target.checked)}
            />
            <Button small onClick={onEdit} aria-label={`Edit ${name}`}>
              Edit
            </Button>
            <IconButton small icon="trash" label={`Remove ${name}`} onClick={onRemove} />
          </>
        )
      }
    />
  );
}
