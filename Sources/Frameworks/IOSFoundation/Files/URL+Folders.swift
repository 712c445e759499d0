public import Foundation

extension URL {
    private static func folder(_ folder: FileManager.SearchPathDirectory) -> URL {
        FileManager.default.urls(for: folder, in: .userDomainMask).first ?? homeDirectory
    }

    /// Where the app keeps what the user makes.
    public static var documentsDirectory: URL { folder(.documentDirectory) }
    /// Where the app keeps what can be made again.
    public static var cachesDirectory: URL { folder(.cachesDirectory) }
    /// Where the app keeps what it needs itself.
    public static var applicationSupportDirectory: URL { folder(.applicationSupportDirectory) }
    /// Where the app keeps what is not the user's.
    public static var libraryDirectory: URL { folder(.libraryDirectory) }
}
