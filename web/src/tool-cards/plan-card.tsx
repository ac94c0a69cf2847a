// A call that writes the plan: the plan as it was from then on.
import { type CallCardProps, CallText } from '../chat/call-view.tsx';
import { doneIn, readPlan } from '../chat/plan.ts';
import { PlanList } from '../chat/plan-list.tsx';
import { callStateOf } from './call-state.ts';
import { ToolFrame } from './tool-frame.tsx';

export function PlanCard({ call, result, turnState }: CallCardProps) {
  const plan = readPlan(call.args.todos);
  const current = plan.find(({ status }) => status === 'in_progress');
  return (
    <ToolFrame
      name={call.name}
      state={callStateOf(result, turnState)}
      summary={current?.content ?? ''}
      badge={plan.length === 0 ? undefined : `${doneIn(plan)} of ${plan.length}`}
    >
      <div className="grid min-w-0 gap-3 px-3.5 py-3">
        {plan.length > 0 && <PlanList plan={plan} />}
        {(result?.status === 'error' || plan.length === 0) && (
          <CallText
            title={result?.status === 'error' ? 'Error' : 'Result'}
            text={result?.text ?? 'No result yet.'}
          />
        )}
      </div>
    </ToolFrame>
  );
}
