-- What the bridge says of settings files, profiles, models and pictures, on one that says
-- exactly what is wanted.

package.path = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h") .. "/?.lua;" .. package.path
local cases = require("cases")
local child_of = require("child")
local faked = require("faked")
local equal, holds = cases.equal, cases.holds
local send = faked.send

-- The smallest of each kind that is looked at by its first bytes.
local png = vim.base64.encode("\137PNG\r\n\26\n and more")

---@param child test.Child
---@param images table[]
---@param more? table
local function look(child, images, more)
  local call = { sessionId = "s1", seq = 2, callId = "c1", name = "read_image", title = "Look at a.png", access = "read", args = { source = "a.png" } }
  send(child, "toolCall/started", vim.tbl_extend("force", call, more or {}))
  local done = { sessionId = "s1", seq = 3, callId = "c1", status = "completed", text = "image/png, 17 B", images = images, durationMs = 1 }
  send(child, "toolCall/completed", vim.tbl_extend("force", done, more or {}))
  child:wait("it has pictures", "(require('drawbridge.state').current().items[2] or {}).pictures")
end

local opening = [[
  opened = {}
  vim.ui.open = function(path)
    table.insert(opened, { path = path, mode = vim.fn.getfperm(path), bytes = vim.base64.encode(io.open(path, "rb"):read("*a")) })
    return {}, nil
  end
]]

---@param child test.Child
---@param problems table[]
---@param more? table
local function changed(child, problems, more)
  local event = { applied = #problems == 0, changed = {}, problems = problems }
  send(child, "settings/changed", vim.tbl_extend("force", event, more or {}))
end

---@param path string
---@param text string
local function write(path, text)
  vim.fn.mkdir(vim.fs.dirname(path), "p")
  local f = assert(io.open(path, "wb"))
  f:write(text)
  f:close()
end

-- A picture of one pixel.
local pixel = vim.base64.decode(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)

cases.run({
  {
    "of the real bridge: a picture that the model was given is opened as it is",
    function()
      local script = 'call c1 read_image {"source":"a.png"}\n----\ntext "One pixel.\\n"\n'
      local child = child_of.start({ before = opening, script = script, files = { ["a.png"] = pixel } })
      write(child.home .. "/config/drawbridge/config.yaml", ('models: {"script:%s/script.txt": {vision: true}}\n'):format(child.home))
      child:ex("Drawbridge prompt look")
      child:sees("One pixel.")
      child:ex("Drawbridge picture")
      child:wait("it is opened", "#opened == 1")
      equal(pixel, vim.base64.decode(child:lua("return opened[1].bytes")))
    end,
  },
  {
    "of the real bridge: the tools of compact are shown as all others are",
    function()
      local script = 'call c1 bash {"command":"echo a; echo b"}\n----\ncall c2 edit {"path":"a.txt","edits":[{"oldText":"one","newText":"ONE"}]}\n----\ntext "Done."\n'
      local child = child_of.start({ script = script, files = { ["a.txt"] = "one\n" }, options = { preset = "workspace-write" } })
      child:ex("edit a.txt")
      child:ex("Drawbridge new compact")
      child:sees("always-ask · compact")
      child:keys("<Esc>")
      child:ex("Drawbridge prompt go")
      child:sees("? echo a; echo b")
      vim.wait(1100)
      child:ex("Drawbridge allow")
      child:wait("a hunk waits", [[require("drawbridge.review").count().hunks == 1]])
      local text = table.concat(child:lines("drawbridge://conversation"), "\n")
      holds(text:find("@@ -1", 1, true), text)
      vim.wait(1100)
      child:ex("Drawbridge acceptall")
      child:sees("Done.")
      equal({ "ONE" }, child:lines("/a.txt"))
    end,
  },
  {
    "of the real bridge: a settings file that changes is told of, what is wrong with it too",
    function()
      local child = child_of.start({ script = 'text "hello"\n' })
      local file = child.home .. "/config/drawbridge/config.yaml"
      write(file, "saveBeforeCommands: true\n")
      child:ex("Drawbridge prompt go")
      child:sees("hello")
      write(file, "saveBeforeCommands: false\n")
      child:hears("settings now count: saveBeforeCommands")
      child:keys("<C-w>t")
      child:ex("Drawbridge settings")
      child:keys("ccsaveBeforeCommand: true<Esc>")
      child:ex("write")
      child:wait("it is marked", "#vim.diagnostic.get(0) == 1")
      child:hears("saveBeforeCommand")
      child:keys("ccsaveBeforeCommands: true<Esc>")
      child:ex("write")
      child:wait("it is mended", "#vim.diagnostic.get(0) == 0")
    end,
  },
  {
    "settings for which no bridge starts are led to, and saving them tries again",
    function()
      local child = child_of.start({ files = { ["../home/config/drawbridge/config.yaml"] = "modle: x\n", ["a.txt"] = "a\n" } })
      child:ex("edit a.txt")
      child:ex("Drawbridge")
      child:sees("The bridge is not running:")
      child:sees([[unknown setting "modle"; did you mean]])
      child:keys("<Esc>")
      child:ex("Drawbridge settings")
      child:wait("it is marked", "#vim.diagnostic.get(0) == 1")
      child:keys("ccmode: plan<Esc>")
      child:ex("write")
      child:hears("the bridge runs")
      child:wait("no mark stays", "#vim.diagnostic.get(0) == 0")
    end,
  },
  {
    "a picture is named with its call, and opened from a file of this person alone",
    function()
      local child = faked.start({ before = opening })
      look(child, { { mimeType = "image/png", data = png }, { mimeType = "image/png", data = vim.base64.encode("\137PNG\r\n\26\n2") } })
      child:keys("<C-w>k")
      child:ex("call search('Look at')")
      child:keys("zo")
      child:sees("picture 1 of 2: image/png, 17 B")
      child:sees("picture 2 of 2: image/png, 9 B")
      child:ex("call search('picture 2')")
      child:ex("Drawbridge picture")
      child:wait("it is opened", "#opened == 1")
      local file = child:lua("return opened[1]")
      equal({ ".png", "rw-------" }, { file.path:match("%.%w+$"), file.mode })
      equal("\137PNG\r\n\26\n2", vim.base64.decode(file.bytes))
      child:ex("Drawbridge picture 1")
      child:wait("the other one is", "#opened == 2")
      child:ex("Drawbridge picture 3")
      child:hears("there is no picture 3: the call has 2")
    end,
  },
  {
    "what only says that it is a picture is not opened, nor one of another kind",
    function()
      local child = faked.start({ before = opening })
      child:ex("Drawbridge picture")
      child:hears("the model was given no picture yet")
      look(child, { { mimeType = "image/png", data = vim.base64.encode("#!/bin/sh\n") }, { mimeType = "image/svg+xml", data = vim.base64.encode("<svg/>") } })
      child:ex("Drawbridge picture")
      child:hears("that is no picture of the type that it is said to be")
      child:ex("Drawbridge picture 2")
      child:hears("pictures of the type image/svg+xml are not opened")
      equal({}, child:lua("return opened"))
    end,
  },
  {
    "where nothing opens pictures it is said where the file lies",
    function()
      local child = faked.start({ before = [[vim.ui.open = function() return nil, "no handler" end]] })
      look(child, { { mimeType = "image/png", data = png } })
      child:ex("Drawbridge picture")
      child:hears("nothing here opens pictures; until Neovim ends it lies in ")
    end,
  },
  {
    "settings that count anew are said in a line; what is wrong stands where it is wrong, until it is mended",
    function()
      local child = faked.start({ files = { ["config.yaml"] = "a: 1\nmodle: x\n", ["other.yaml"] = "b: 1\n" } })
      changed(child, {}, { changed = { "approval.rules", "model" }, later = { "sandbox: for new sessions" } })
      child:hears("settings now count: approval.rules, model; sandbox: for new sessions")
      child:keys("<C-w>t")
      child:ex("edit config.yaml")
      local problems = {
        { file = child.folder .. "/config.yaml", line = 2, column = 1, message = "unknown key modle; did you mean model?" },
        { file = child.folder .. "/other.yaml", line = 1, column = 3, message = "b wants a list", warning = true },
        { file = "", line = 0, column = 0, message = "others can read the file", warning = true },
      }
      changed(child, problems)
      child:hears("config.yaml:2: unknown key modle")
      child:hears("the settings before count")
      child:wait("it is marked", "#vim.diagnostic.get(0) == 1")
      local mark = child:lua([[local d = vim.diagnostic.get(0)[1]; return { d.lnum, d.col, d.severity, d.message }]])
      equal({ 1, 0, 1, "unknown key modle; did you mean model?" }, mark)
      -- A file that is opened later has its own.
      child:ex("edit other.yaml")
      child:wait("it is marked", "#vim.diagnostic.get(0) == 1")
      equal(2, child:lua("return vim.diagnostic.get(0)[1].severity"))
      child:ex("Drawbridge settings problems")
      child:wait("all are listed", [[vim.bo.buftype == "quickfix"]])
      equal(3, child:lua("return #vim.fn.getqflist()"))
      child:keys("<CR>")
      child:wait("the cursor is there", [[vim.fs.basename(vim.api.nvim_buf_get_name(0)) == "config.yaml" and vim.fn.line(".") == 2]])
      changed(child, {})
      child:hears("the settings files are in order")
      child:wait("no mark stays", "#vim.diagnostic.get() == 0")
      child:ex("Drawbridge settings problems")
      child:hears("nothing is known to be wrong")
    end,
  },
  {
    "a settings file is opened where the bridge looks for it; a look makes nothing, writing does",
    function()
      local child = faked.start({ files = { ["a.txt"] = "a\n" } })
      child:keys("<C-w>t")
      child:ex("edit a.txt")
      child:ex("Drawbridge settings")
      child:wait("the user's", function()
        return child:lua("return vim.api.nvim_buf_get_name(0)") == child.home .. "/config/drawbridge/config.yaml"
      end)
      equal(0, vim.fn.isdirectory(child.home .. "/config/drawbridge"))
      child:ex("Drawbridge settings workspace")
      child:wait("this folder's", function()
        return child:lua("return vim.api.nvim_buf_get_name(0)") == child.folder .. "/.drawbridge/config.yaml"
      end)
      equal(0, vim.fn.isdirectory(child.folder .. "/.drawbridge"))
      child:keys("iprofile: compact<Esc>")
      child:ex("write")
      child:wait("it is written", function()
        return child:file(".drawbridge/config.yaml") == "profile: compact\n"
      end)
      equal("rwx------", vim.fn.getfperm(child.folder .. "/.drawbridge"))
      equal({ "problems", "user", "workspace" }, child:lua([[local all = vim.fn.getcompletion("Drawbridge settings ", "cmdline"); table.sort(all); return all]]))
      child:ex("Drawbridge settings mine")
      child:hears("there are the settings: user, workspace, and their problems")
    end,
  },
  {
    "a conversation is begun with a profile, which the bar says; an unknown one is refused",
    function()
      local session = { sessionId = "s3", title = "", cwd = "/", roots = { "/" }, model = "", mode = "always-ask", preset = "workspace-write" }
      session.profile, session.state, session.createdAt, session.updatedAt = "compact", "idle", 0, 0
      local child = faked.start({ options = { profile = "agent_toolset_20260401" } })
      equal({}, child:lua([[return require("drawbridge.config").complaints()]]))
      child:ex("Drawbridge new bash")
      child:hears("there is no profile bash; there are default, compact, agent_toolset_20260401")
      equal({ "default", "compact", "agent_toolset_20260401" }, child:lua([[return vim.fn.getcompletion("Drawbridge new ", "cmdline")]]))
      child:lua([[
        sent = {}
        local client = require("drawbridge.client")
        local request = client.request
        client.request = function(method, params, cb)
          return request(method, params, function(...)
            table.insert(sent, method == "session/new" and params.profile or nil)
            return cb and cb(...)
          end)
        end
      ]])
      child:ex("Drawbridge new compact")
      child:wait("it is asked for", "#sent == 1")
      child:keys("<Esc>")
      child:ex("Drawbridge new")
      child:wait("the option counts", "#sent == 2")
      equal({ "compact", "agent_toolset_20260401" }, child:lua("return sent"))
      child:keys("<Esc>")
      send(child, "session/updated", { sessionId = "s1", seq = 4, session = vim.tbl_extend("force", session, { sessionId = "s1" }) })
      child:sees("always-ask · compact")
    end,
  },
  {
    "the command of a tool by whatever name is shown as one",
    function()
      local child = faked.start()
      local call = { sessionId = "s1", seq = 2, callId = "c1", name = "bash", title = "Count", access = "execute", args = { command = "a | b", timeout = 9 } }
      send(child, "toolCall/started", call)
      child:wait("it is there", [[#require("drawbridge.state").current().items == 2]])
      local text = table.concat(child:lines("drawbridge://conversation"), "\n")
      holds(text:find("```sh\na | b\n```\ntimeout: 9", 1, true), text)
    end,
  },
  {
    "the list of models says what each holds, reads and costs",
    function()
      local models = {
        { id = "openai:a", provider = "openai", name = "a", contextTokens = 128000, vision = true, thinking = { "low", "high" }, price = { input = 1.25, output = 10 } },
        { id = "openai:b", provider = "openai", name = "b" },
      }
      local child = faked.start({
        before = [[vim.ui.select = function(items, opts) labels = vim.tbl_map(opts.format_item, items) end]],
      }, "=model/list", vim.json.encode({ models = models, providers = {} }))
      child:ex("Drawbridge model")
      child:wait("they are listed", "labels")
      equal({
        "openai:a · 128k tokens · reads pictures · thinks · $1.25 in, $10 out per million",
        "openai:b",
        "Another, by its name (PROVIDER:NAME)…",
      }, child:lua("return labels"))
    end,
  },
})
