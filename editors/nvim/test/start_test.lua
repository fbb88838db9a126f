-- The first minutes: where what is typed goes, what is said where no model is set
-- up, and that whatever fails is told in words that help here.

package.path = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h") .. "/?.lua;" .. package.path
local cases = require("cases")
local child_of = require("child")
local equal, holds = cases.equal, cases.holds

-- A vim.ui.select and a vim.ui.input that keep what they were asked.
local keeping = [[
  asked = {}
  vim.ui.select = function(items, opts, cb)
    table.insert(asked, { prompt = opts.prompt, labels = vim.tbl_map(opts.format_item or tostring, items), items = items, cb = cb })
  end
  vim.ui.input = function(opts, cb)
    table.insert(asked, { prompt = opts.prompt, cb = cb })
  end
]]

---@param child test.Child
local function idle(child)
  child:wait("no turn runs", [[(function() local c = require("drawbridge.state").current() return c and c.lastTurn and not c.turnId end)()]])
end

-- A child that is told of no model, where no service can be reached.
local function without_model()
  local child = child_of.start({ before = keeping, options = { env = { HTTPS_PROXY = "http://127.0.0.1:9" } } })
  child:lua("local o = vim.g.drawbridge o.model = nil vim.g.drawbridge = o")
  return child
end

cases.run({
  {
    "what is typed after :Drawbridge is the prompt; the bar says which key sends it",
    function()
      local child = child_of.start({ script = 'text "one"\n----\ntext "two"\n----\ntext "three"\n' })
      child:ex("Drawbridge")
      child:keys("dd is what I mean")
      child:sees("dd is what I mean")
      child:sees("Ctrl-S sends")
      child:keys("<C-s>")
      child:sees("❯ dd is what I mean")
      idle(child)
      -- Who was typing goes on typing.
      equal("i", child:lua("return vim.fn.mode()"))
      child:keys("more<C-s>")
      child:sees("❯ more")
      idle(child)
      child:keys("<Esc>")
      child:sees("Enter sends, i types")
      child:keys("ilast<Esc><CR>")
      child:sees("❯ last")
      child:wait("nobody types", [[vim.fn.mode() == "n"]])
    end,
  },
  {
    "what comes while the next prompt is typed is folded all the same",
    function()
      local child = child_of.start({
        files = { ["a.txt"] = "one\n" },
        script = 'think "Let me see.\\nIt is long."\ncall c1 read_file {"file_path":"a.txt"}\n----\ntext "Done.\\n"\n',
      })
      child:ex("Drawbridge")
      child:keys("look<C-s>the next prompt is typed")
      child:sees("Done.")
      child:sees("Read a.txt  done")
      child:sees("∙ Thinking")
      child:sees_no("It is long.") -- the thought is folded
      child:keys(", and goes on")
      child:sees("the next prompt is typed, and goes on")
    end,
  },
  {
    "a menu of files that is open leaves with what is sent",
    function()
      local child = child_of.start({ files = { ["other.txt"] = "x\n" }, script = 'text "Read."\n' })
      child:ex("Drawbridge")
      child:keys("see @oth")
      child:wait("the popup", [[vim.fn.pumvisible() == 1]])
      child:keys("<C-s>next")
      child:sees("❯ see @oth")
      child:wait("the prompt has what came after", function()
        return vim.deep_equal(child:lines("drawbridge://prompt"), { "next" })
      end)
      child:wait("the popup is gone", "vim.fn.pumvisible() == 0")
    end,
  },
  {
    "without a model the first page says so, and so does a failed turn",
    function()
      local child = without_model()
      child:ex("Drawbridge")
      child:sees("No model is set up yet.")
      child:sees(":Drawbridge key ")
      child:keys("hello<C-s>")
      child:sees("no model is set up")
      child:sees("→ :Drawbridge key hands over a key")
      local shown = table.concat(child:lines("drawbridge://conversation"), "\n")
      holds(not shown:find("--model", 1, true), "no flag of the program: " .. shown)
      child:ex("Drawbridge model")
      child:wait("the choice", "#asked == 1")
      local labels = child:lua("return asked[1].labels")
      holds(labels[1]:find("Another", 1, true), vim.inspect(labels))
      holds(labels[2]:find("anthropic: hand over a key…", 1, true), vim.inspect(labels))
    end,
  },
  {
    "a key that could not be tried is not called good; the first page hears of it",
    function()
      local child = without_model()
      child:ex("Drawbridge")
      child:sees("No model is set up yet.")
      child:ex("Drawbridge key openai")
      child:sees("Key for openai")
      child:keys("sk-nobody-asks<CR>")
      child:hears("the key for openai is kept, but not checked")
      child:wait("the page says no more that none is", function()
        return not table.concat(child:screen(), "\n"):find("No model is set up yet.", 1, true)
      end)
      holds(not child:said():find("is ready", 1, true), child:said())
    end,
  },
  {
    "the choice of models has the one that is asked, and takes a name that is typed",
    function()
      local child = child_of.start({ script = 'text "hi"\n', before = keeping })
      child:ex("Drawbridge prompt go")
      child:sees("hi")
      idle(child)
      child:ex("Drawbridge model")
      child:wait("the choice", "#asked == 1")
      local labels = child:lua("return asked[1].labels")
      equal("script:" .. child.home .. "/script.txt (now)", labels[1])
      child:lua("asked[1].cb(asked[1].items[2])")
      child:wait("a name is asked for", "#asked == 2")
      child:lua([[asked[2].cb("openai-chat:mine")]])
      child:wait("the model", [[require("drawbridge.state").current().session.model == "openai-chat:mine"]])
      holds(not child:said():find("no model can be asked", 1, true), child:said())
    end,
  },
  {
    "a retry is counted first; its cause follows",
    function()
      local child = child_of.start({ script = 'error overloaded "too many ask at once" retry-after 20s\n----\ntext "hi"\n' })
      child:ex("Drawbridge prompt go")
      child:sees("retrying 1 of ")
      local bar = child:lua([[return require("drawbridge.statusline").text()]])
      holds(bar:find("retrying 1 of %d"), bar)
      local screen = table.concat(child:screen(), "\n")
      holds(screen:find("retrying 1 of %d: "), screen)
      child:ex("Drawbridge stop")
      idle(child)
    end,
  },
  {
    "methods of the protocol are spoken of as commands",
    function()
      local child = child_of.start({})
      local plain = child:lua([[
        local words = require("drawbridge.words")
        return vim.tbl_map(words.plain, {
          "send session/prompt", "change/show has it as it is now", "terminal/list names those that exist",
          "the file is src/session.go", "use --model openai-chat:NAME",
        })
      ]])
      equal({
        "send it as a new prompt",
        ":Drawbridge diff has it as it is now",
        ":Drawbridge terminals names those that exist",
        "the file is src/session.go",
        "use :Drawbridge model openai-chat:NAME",
      }, plain)
      child:ex("Drawbridge new")
      child:wait("a session", [[require("drawbridge.client").session()]])
      child:lua([[require("drawbridge.client").request("change/show", {
        sessionId = require("drawbridge.client").session(), changeId = "g9",
      }, function(err) failed = err end)]])
      local err = child:wait("it failed", "failed")
      equal(":Drawbridge diff names those that exist", err.hint)
    end,
  },
})
