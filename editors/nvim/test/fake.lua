-- A bridge that only says hello, in a version and with words of its choosing:
-- what a plugin meets that is older or newer than it.
--
--   nvim --clean -l fake.lua '{"version":2,"serverVersion":"9.9"}' [METHOD PARAMS]…
--
-- METHODs are sent once the editor is ready; one that begins with ? is a request,
-- and what follows a ! is sent as it is. One that begins with = is what the editor
-- asks; its PARAMS are the result, and the asking is written to the file asked.
-- What the editor answers is written to the file answers, a line each, what it tells
-- of documents to the file told. It sends what state/wanted asks for: a notification,
-- or with an id a request; with a result it answers METHOD by that from then on.

local announced = vim.json.decode(arg[1])

-- Results of what the editor asks, by method.
local results = {}
for i = 2, #arg, 2 do
  if arg[i]:sub(1, 1) == "=" then
    results[arg[i]:sub(2)] = vim.json.decode(arg[i + 1])
  end
end

local function note(name, ...)
  local file = assert(io.open(name, "a"))
  file:write(...)
  file:close()
end

local function send(message)
  message.jsonrpc = "2.0"
  local body = vim.json.encode(message)
  io.stdout:write(("Content-Length: %d\r\n\r\n%s"):format(#body, body))
  io.stdout:flush()
end

local function receive()
  local length
  while true do
    local line = io.stdin:read("*l")
    if not line then
      os.exit(0)
    end
    line = line:gsub("\r$", "")
    if line == "" then
      return vim.json.decode(io.stdin:read(length))
    end
    length = tonumber(line:match("^[Cc]ontent%-[Ll]ength: *(%d+)")) or length
  end
end

while true do
  local message = receive()
  if message.method == "initialize" then
    local sync = { openClose = true, change = 2 }
    send({ id = message.id, result = { capabilities = { textDocumentSync = sync, experimental = { drawbridge = announced } } } })
  elseif message.method == "initialized" then
    for i = 2, #arg, 2 do
      local asks = arg[i]:sub(1, 1) == "?"
      if arg[i]:sub(1, 1) == "=" then
        asks = false
      elseif arg[i] == "!" then
        io.stdout:write(arg[i + 1])
        io.stdout:flush()
      else
        send({ id = asks and i or nil, method = arg[i]:gsub("^%?", ""), params = vim.json.decode(arg[i + 1]) })
      end
    end
  elseif message.method == "session/new" then
    local session = { sessionId = "s1", title = "", cwd = "/", roots = { "/" }, model = "", mode = "always-ask" }
    session.preset, session.profile, session.state, session.createdAt, session.updatedAt = "workspace-write", "default", "idle", 0, 0
    send({ id = message.id, result = { session = session } })
  elseif message.method == "exit" then
    os.exit(0)
  elseif message.id and not message.method then
    note("answers", vim.json.encode(message.error and message.error.code or message.result), "\n")
  elseif message.method == "state/wanted" and message.params.result then
    results[message.params.method] = message.params.result
  elseif message.id and results[message.method] then
    note("asked", message.method, " ", vim.json.encode(message.params), "\n")
    local result = results[message.method]
    send(result.error and { id = message.id, error = result.error } or { id = message.id, result = result })
  elseif message.method == "state/wanted" then
    send({ id = message.params.id, method = message.params.method, params = message.params.params })
  elseif not message.id and (message.method:find("^textDocument/") or message.method == "document/encoding") then
    note("told", message.method, " ", vim.json.encode(message.params), "\n")
  elseif message.id then
    send({ id = message.id, error = { code = -32601, message = "nobody knows " .. message.method } })
  end
end
