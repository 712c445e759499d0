#define _GNU_SOURCE
#include "CUIKit.h"

#include <elf.h>
#include <link.h>
#include <string.h>

struct question {
    const char *symbol;
    bool answer;
};

/// The loader has made the addresses of these tables absolute, but for some libraries'.
static const void *at(ElfW(Addr) base, ElfW(Addr) address) {
    return (const void *)(address < base ? base + address : address);
}

/// The first object is the program. Symbols that it imports come before those that its hash table has.
static int look(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    struct question *question = context;
    const ElfW(Sym) *symbols = NULL;
    const char *names = NULL;
    const uint32_t *hash = NULL;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
        const ElfW(Dyn) *entry = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
        for (; entry->d_tag != DT_NULL; entry++) {
            const void *table = at(info->dlpi_addr, entry->d_un.d_ptr);
            if (entry->d_tag == DT_SYMTAB) symbols = table;
            if (entry->d_tag == DT_STRTAB) names = table;
            if (entry->d_tag == DT_GNU_HASH) hash = table;
        }
    }
    // Who cannot be looked into is taken to import it.
    if (!symbols || !names || !hash) {
        question->answer = true;
        return 1;
    }
    uint32_t imported = hash[1];
    for (uint32_t i = 1; i < imported && !question->answer; i++) {
        question->answer = strcmp(names + symbols[i].st_name, question->symbol) == 0;
    }
    return 1;
}

bool cuikit_program_imports(const char *symbol) {
    struct question question = {symbol, false};
    dl_iterate_phdr(look, &question);
    return question.answer;
}
