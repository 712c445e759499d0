// The keys of what plays, with Apple's names and values.

/// What it is called, a `String`.
public let MPMediaItemPropertyTitle = "title"
/// Whose it is, a `String`.
public let MPMediaItemPropertyArtist = "artist"
/// What it is part of, a `String`.
public let MPMediaItemPropertyAlbumTitle = "albumTitle"
/// Whose that is, a `String`.
public let MPMediaItemPropertyAlbumArtist = "albumArtist"
/// How long it is, in seconds.
public let MPMediaItemPropertyPlaybackDuration = "playbackDuration"
/// Its picture, an `MPMediaItemArtwork`.
public let MPMediaItemPropertyArtwork = "artwork"
/// What kind it is, of `MPMediaType`.
public let MPMediaItemPropertyMediaType = "mediaType"
/// Of which genre, a `String`.
public let MPMediaItemPropertyGenre = "genre"
/// Who wrote it, a `String`.
public let MPMediaItemPropertyComposer = "composer"
/// Its number.
public let MPMediaItemPropertyPersistentID = "persistentID"
/// The number of what it is part of.
public let MPMediaItemPropertyAlbumPersistentID = "albumPersistentID"
/// The number of whose it is.
public let MPMediaItemPropertyArtistPersistentID = "artistPersistentID"
/// The number of whose the album is.
public let MPMediaItemPropertyAlbumArtistPersistentID = "albumArtistPersistentID"
/// The number of its genre.
public let MPMediaItemPropertyGenrePersistentID = "genrePersistentID"
/// The number of who wrote it.
public let MPMediaItemPropertyComposerPersistentID = "composerPersistentID"
/// The number of its podcast.
public let MPMediaItemPropertyPodcastPersistentID = "podcastPersistentID"
/// When it appeared, a `Date`.
public let MPMediaItemPropertyReleaseDate = "releaseDate"
/// Its number in what it is part of.
public let MPMediaItemPropertyAlbumTrackNumber = "albumTrackNumber"
/// How many that has.
public let MPMediaItemPropertyAlbumTrackCount = "albumTrackCount"
/// The number of its disc.
public let MPMediaItemPropertyDiscNumber = "discNumber"
/// How many discs there are.
public let MPMediaItemPropertyDiscCount = "discCount"
/// The podcast, a `String`.
public let MPMediaItemPropertyPodcastTitle = "podcastTitle"
/// Whether it is not for children.
public let MPMediaItemPropertyIsExplicit = "isExplicit"
/// Its words, a `String`.
public let MPMediaItemPropertyLyrics = "lyrics"
/// Whether the album has works of several.
public let MPMediaItemPropertyIsCompilation = "isCompilation"
/// How fast it is.
public let MPMediaItemPropertyBeatsPerMinute = "beatsPerMinute"
/// What is said of it, a `String`.
public let MPMediaItemPropertyComments = "comments"
/// Where it is, a `URL`.
public let MPMediaItemPropertyAssetURL = "assetURL"
/// Whether it is elsewhere.
public let MPMediaItemPropertyIsCloudItem = "isCloudItem"
/// Whether it is protected.
public let MPMediaItemPropertyHasProtectedAsset = "hasProtectedAsset"
/// When it was added, a `Date`.
public let MPMediaItemPropertyDateAdded = "dateAdded"
/// How often it was played.
public let MPMediaItemPropertyPlayCount = "playCount"
/// How often it was skipped.
public let MPMediaItemPropertySkipCount = "skipCount"
/// How good it is, from 0 to 5.
public let MPMediaItemPropertyRating = "rating"
/// When it was last played, a `Date`.
public let MPMediaItemPropertyLastPlayedDate = "lastPlayedDate"
/// A group of the user's, a `String`.
public let MPMediaItemPropertyUserGrouping = "userGrouping"
/// Where it goes on, in seconds.
public let MPMediaItemPropertyBookmarkTime = "bookmarkTime"
/// Its number in the store.
public let MPMediaItemPropertyPlaybackStoreID = "playbackStoreID"
/// Where it is, in seconds.
public let MPNowPlayingInfoPropertyElapsedPlaybackTime = "MPNowPlayingInfoPropertyElapsedPlaybackTime"
/// How fast it plays; 0 stands still.
public let MPNowPlayingInfoPropertyPlaybackRate = "MPNowPlayingInfoPropertyPlaybackRate"
/// How fast it usually plays.
public let MPNowPlayingInfoPropertyDefaultPlaybackRate = "MPNowPlayingInfoPropertyDefaultPlaybackRate"
/// Its number in the queue.
public let MPNowPlayingInfoPropertyPlaybackQueueIndex = "MPNowPlayingInfoPropertyPlaybackQueueIndex"
/// How many the queue has.
public let MPNowPlayingInfoPropertyPlaybackQueueCount = "MPNowPlayingInfoPropertyPlaybackQueueCount"
/// The number of its chapter.
public let MPNowPlayingInfoPropertyChapterNumber = "MPNowPlayingInfoPropertyChapterNumber"
/// How many chapters there are.
public let MPNowPlayingInfoPropertyChapterCount = "MPNowPlayingInfoPropertyChapterCount"
/// Whether it happens now.
public let MPNowPlayingInfoPropertyIsLiveStream = "MPNowPlayingInfoPropertyIsLiveStream"
/// What of it is to be heard or seen, of `MPNowPlayingInfoMediaType`.
public let MPNowPlayingInfoPropertyMediaType = "MPNowPlayingInfoPropertyMediaType"
/// Where it is, a `URL`.
public let MPNowPlayingInfoPropertyAssetURL = "MPNowPlayingInfoPropertyAssetURL"
/// Its languages.
public let MPNowPlayingInfoPropertyAvailableLanguageOptions = "MPNowPlayingInfoPropertyAvailableLanguageOptions"
/// Its languages of now.
public let MPNowPlayingInfoPropertyCurrentLanguageOptions = "MPNowPlayingInfoPropertyCurrentLanguageOptions"
/// What the app calls it, a `String`.
public let MPNowPlayingInfoPropertyExternalContentIdentifier = "MPNowPlayingInfoPropertyExternalContentIdentifier"
/// What the app calls the user, a `String`.
public let MPNowPlayingInfoPropertyExternalUserProfileIdentifier =
    "MPNowPlayingInfoPropertyExternalUserProfileIdentifier"
/// How much of it has been played, from 0 to 1.
public let MPNowPlayingInfoPropertyPlaybackProgress = "MPNowPlayingInfoPropertyPlaybackProgress"
/// Who provides it, a `String`.
public let MPNowPlayingInfoPropertyServiceIdentifier = "MPNowPlayingInfoPropertyServiceIdentifier"
/// When what is heard happened, a `Date`.
public let MPNowPlayingInfoPropertyCurrentPlaybackDate = "MPNowPlayingInfoPropertyCurrentPlaybackDate"
/// The collection that it is part of, a `String`.
public let MPNowPlayingInfoCollectionIdentifier = "MPNowPlayingInfoCollectionIdentifier"

/// The number of something in a library.
public typealias MPMediaEntityPersistentID = UInt64

/// Kinds of media.
public struct MPMediaType: OptionSet, Sendable {
    /// Apple's bits.
    public let rawValue: UInt
    /// Creates kinds of Apple's bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Music.
    public static let music = MPMediaType(rawValue: 1 << 0)
    /// Podcasts.
    public static let podcast = MPMediaType(rawValue: 1 << 1)
    /// Books.
    public static let audioBook = MPMediaType(rawValue: 1 << 2)
    /// Lectures.
    public static let audioITunesU = MPMediaType(rawValue: 1 << 3)
    /// All to hear.
    public static let anyAudio = MPMediaType(rawValue: 0xff)
    /// Films.
    public static let movie = MPMediaType(rawValue: 1 << 8)
    /// Series.
    public static let tvShow = MPMediaType(rawValue: 1 << 9)
    /// Podcasts with pictures.
    public static let videoPodcast = MPMediaType(rawValue: 1 << 10)
    /// Music with pictures.
    public static let musicVideo = MPMediaType(rawValue: 1 << 11)
    /// Lectures with pictures.
    public static let videoITunesU = MPMediaType(rawValue: 1 << 12)
    /// What the user filmed.
    public static let homeVideo = MPMediaType(rawValue: 1 << 13)
    /// All to see.
    public static let anyVideo = MPMediaType(rawValue: 0xff00)
    /// All.
    public static let any = MPMediaType(rawValue: UInt.max)
}
