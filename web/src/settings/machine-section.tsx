// What holds the agent's commands on the machine of the service, for administrators.
import { useQuery } from '@tanstack/react-query';
import { useServices } from '../services.tsx';
import { Notice } from '../ui/notice.tsx';
import { PageSection } from '../ui/page-section.tsx';

export function MachineSection() {
  const { api } = useServices();
  const machine = useQuery({ queryKey: ['machine'], queryFn: () => api.machine(), staleTime: 0 });
  return (
    <PageSection
      title="Command isolation"
      lead="What this machine still needs to isolate the agent’s commands. Only administrators see this."
    >
      {machine.isError && <Notice tone="danger">{machine.error.message}</Notice>}
      {machine.data?.gaps.length === 0 && <p className="text-sm">Nothing is missing.</p>}
      {machine.data !== undefined && machine.data.gaps.length > 0 && (
        <ul className="grid gap-3">
          {machine.data.gaps.map(({ message, fix }) => (
            <li key={message} className="grid gap-0.5 text-sm leading-relaxed [overflow-wrap:anywhere]">
              <span>{message}</span>
              <span className="text-muted-foreground">{fix}</span>
            </li>
          ))}
        </ul>
      )}
    </PageSection>
  );
}
