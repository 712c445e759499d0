// Apple's module SQLite3. Debian: libsqlite3-dev.
#include <sqlite3.h>

// Apple's SQLite locks files away with the device. There is no such lock here.
#define SQLITE_OPEN_FILEPROTECTION_COMPLETE 0
#define SQLITE_OPEN_FILEPROTECTION_COMPLETEUNLESSOPEN 0
#define SQLITE_OPEN_FILEPROTECTION_COMPLETEUNTILFIRSTUSERAUTHENTICATION 0
#define SQLITE_OPEN_FILEPROTECTION_NONE 0
