import { Badge, Dot } from '../../design/badge.tsx';
import { Icon } from '../../design/icon.tsx';
import type { StatusLook } from './chain-status.ts';

/** A state in words, with a pictogram or a dot and a color. */
export function StatusBadge({ look: { label, tone, icon, isAlive } }: { look: StatusLook }) {
  return (
    <Badge tone={tone}>
      {icon && <Icon name={icon} size={12} />}
      {isAlive && <Dot tone={tone} alive />}
      {label}
    </Badge>
  );
}
