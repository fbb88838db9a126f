-- A model service in the test's own process, for what a script cannot say: what
-- comes next depends on what the model was told.
--
--   local service = require("service").start(function(request) return "Done." end)
--   child_of.start({ options = service.options })

local M = {}

---@param id string
---@param name string
---@param args table
---@return table
function M.call(id, name, args)
  return { tool_calls = { { index = 0, id = id, type = "function", ["function"] = { name = name, arguments = vim.json.encode(args) } } } }
end

---@param answer string|table
---@return string
local function stream(answer)
  local delta = type(answer) == "table" and answer or { content = answer }
  local events = {}
  for _, choice in ipairs({
    { index = 0, delta = delta, finish_reason = vim.NIL },
    { index = 0, delta = vim.empty_dict(), finish_reason = delta.tool_calls and "tool_calls" or "stop" },
  }) do
    table.insert(events, "data: " .. vim.json.encode({ id = "1", object = "chat.completion.chunk", choices = { choice } }))
  end
  return table.concat(events, "\n\n") .. "\n\ndata: [DONE]\n\n"
end

---@param head string
---@param body string
---@param answers fun(request: string): string|table
---@return string
local function response(head, body, answers)
  local kind, text = "text/event-stream", nil
  if head:find("^GET") then
    kind, text = "application/json", '{"object":"list","data":[{"id":"tiny","object":"model"}]}'
  else
    text = stream(answers(body))
  end
  return ("HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s"):format(kind, #text, text)
end

--- Answers requests until the process ends.
---@param answers fun(request: string): string|table What is said, or what M.call made.
---@return { options: table } service Options of a Neovim that asks it.
function M.start(answers)
  local server = assert(vim.uv.new_tcp())
  assert(server:bind("127.0.0.1", 0))
  server:listen(16, function()
    local client = assert(vim.uv.new_tcp())
    server:accept(client)
    local got = ""
    client:read_start(function(_, piece)
      if not piece then
        return client:is_closing() or client:close()
      end
      got = got .. piece
      local head, body = got:match("^(.-\r\n\r\n)(.*)$")
      if head and #body >= tonumber(head:lower():match("content%-length: (%d+)") or 0) then
        client:write(response(head, body, answers), function()
          return client:is_closing() or client:close()
        end)
      end
    end)
  end)
  local url = ("http://127.0.0.1:%d/v1"):format(server:getsockname().port)
  return { options = { model = "openai-chat:tiny", env = { OPENAI_BASE_URL = url, OPENAI_API_KEY = "sk-none" } } }
end

return M
