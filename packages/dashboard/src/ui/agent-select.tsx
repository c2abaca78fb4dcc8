import { useAgents } from "../api/agents.ts";
import { Field, Select } from "./field.tsx";

/** Which agent plays; empty: whoever the workflow says. */
export function AgentSelect({
  client,
  agent,
  onChange,
  label = "Agent",
  empty = "as the workflow says",
}: {
  client: string;
  agent: string;
  onChange: (agent: string) => void;
  label?: string;
  empty?: string;
}) {
  const { data } = useAgents(client);
  return (
    <Field label={label}>
      {(props) => (
        <Select {...props} value={agent} onChange={(event) => onChange(event.target.value)}>
          <option value="">{empty}</option>
          {data?.agents.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </Select>
      )}
    </Field>
  );
}
