// The JSON body of a response, typed as the test expects it; tests assert its content.

export async function jsonOf<T = Record<string, unknown>>(
  response: Response | Promise<Response>,
): Promise<T> {
  return (await (await response).json()) as T;
}

/** The fields of a run that tests read. */
export interface RunJson {
  readonly run_id: string;
  readonly thread_id: string;
  readonly status: string;
  readonly stop_reason: string | null;
  readonly error: string | null;
  readonly attempt: number;
  readonly follow_up_to_run_id: string | null;
  readonly total_tokens: number;
  readonly total_input_tokens: number;
  readonly lead_agent_tokens: number;
  readonly llm_call_count: number;
  readonly message_count: number;
}

export interface MessageJson {
  readonly id: string;
  readonly type: string;
  readonly role: string;
  readonly content: string;
  readonly status?: string;
  readonly name?: string | null;
  readonly tool_calls?: readonly { readonly name: string; readonly args: Record<string, unknown> }[];
  readonly response_metadata?: Record<string, unknown>;
}

export interface ValuesJson {
  readonly messages: readonly MessageJson[];
  readonly title?: string;
}

export interface StateJson {
  readonly values: ValuesJson;
  readonly next: readonly string[];
  readonly checkpoint: { readonly checkpoint_id: string } | null;
  readonly parent_checkpoint: { readonly checkpoint_id: string } | null;
}
