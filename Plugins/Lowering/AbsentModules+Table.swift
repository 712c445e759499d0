extension AbsentModules {
    /// A module in each line, with its names. A module with many names has several lines.
    static let table = """
        ARKit AR# ARSCNView* ARSKView*
        Accelerate vDSP vDSP_* vForce vImage_* vImageConvert* vImageScale* vImageBuffer* cblas_* BNNS*
        Accessibility AXCustomContent* AXChart* AXDataPoint AXNumericDataAxis* AXCategoricalDataAxis*
        AccessorySetupKit ASAccessory* ASPickerDisplay* ASDiscoveryDescriptor ASMigrationDisplayItem
        Accounts ACAccount*
        ActivityKit Activity ActivityAttributes ActivityContent ActivityAuthorizationInfo ActivityUIDismissalPolicy
        ActivityKit AlertConfiguration
        AdAttributionKit AppImpression Postback
        AdServices AAAttribution
        AdSupport ASIdentifierManager
        AddressBook ABAddressBook* ABRecord* ABPerson* ABMultiValue* kABPerson*
        AddressBookUI ABPeoplePicker* ABPersonView* ABNewPerson* ABUnknownPerson*
        AlarmKit AlarmManager AlarmAttributes AlarmPresentation AlarmButton AlarmMetadata
        AppClip APActivationPayload
        AppIntents AppIntent AppIntentsPackage AppShortcut AppShortcutsProvider AppShortcutPhrase AppEntity AppEnum
        AppIntents IntentParameter IntentResult IntentDialog EntityQuery EntityStringQuery OpenIntent IntentDescription
        AppIntents LiveActivityIntent ForegroundContinuableIntent SetFocusFilterIntent AudioPlaybackIntent
        AppIntents ParameterSummary TypeDisplayRepresentation DisplayRepresentation ReturnsValue ProvidesDialog
        AppMigrationKit AppMigration*
        AppTrackingTransparency ATTrackingManager
        AssetsLibrary ALAsset*
        AudioToolbox AudioServices* AudioQueue* AudioFileOpen* AudioFileCreate* AudioFileClose AudioFileRead*
        AudioToolbox AudioFileWrite* AudioFileGet* AudioFileSet* AudioFileStream* AudioFileID AudioFileTypeID
        AudioToolbox ExtAudioFile* AudioConverter* AudioComponentInstance* AudioComponentFind* AudioUnitInitialize
        AudioToolbox AudioUnitSet* AudioUnitGet* AudioUnitRender* AudioOutputUnit* AUGraph* AUAudioUnit* AUNode*
        AudioToolbox MusicSequence* MusicPlayer* MusicTrack* SystemSoundID kSystemSoundID_* kAudioServices*
        AudioToolbox kAudioFile* kAudioQueue* kAudioUnit* kAudioOutputUnit* AURenderCallback* AudioUnitElement
        AudioUnit AudioComponentInstance* AudioComponentFind* AudioUnit* AudioOutputUnit* AUGraph* AUAudioUnit*
        AudioUnit AURenderCallback* kAudioUnit* kAudioOutputUnit*
        AuthenticationServices ASAuthorization* ASWebAuthentication* ASCredential* ASPassword* ASSettingsHelper
        AuthenticationServices SignInWithAppleButton WebAuthenticationSession ASPasskey*
        AutomaticAssessmentConfiguration AEAssessment*
        AVRouting AVCustomRouting*
        AVSystemRouting AVSystemRout*
        AppleArchive ArchiveStream ArchiveHeader ArchiveByteStream
        BackgroundAssets BADownload* BAManifest* BAAppExtensionInfo BAURLDownload AssetPackManager
        BrowserEngineCore BrowserEngine*
        BrowserEngineKit BEWebApp* BEText* BEScroll* WebContentProcess NetworkingProcess RenderingProcess
        BusinessChat BCChatButton BCChatAction
        CFNetwork CFHTTP* CFHost* CFNetService* CFNetDiagnostic* CFNetworkCopy* CFNetworkExecute* kCFNetwork* kCFProxy*
        CallKit CX#
        CarKey CarKey*
        CarPlay CP#
        Charts Chart Chart3D BarMark LineMark PointMark AreaMark RuleMark RectangleMark SectorMark AxisMarks AxisMark
        Charts AxisValueLabel AxisGridLine AxisTick ChartProxy ChartContent PlottableValue BarPlot LinePlot
        Cinematic CNScript CNDecision CNCinematic* CNRendering* CNAssetInfo CNDetection
        ClassKit CLS#
        ClockKit CLK#
        CloudKit CK#
        ColorSync ColorSync*
        CommonCrypto CC_* CCCrypt* CCHmac* CCKeyDerivation* CCRandom* CCAlgorithm CCOptions CCOperation CCPBKDF* kCC*
        CompositorServices LayerRenderer* CompositorLayer*
        Compression compression_* COMPRESSION_* InputFilter OutputFilter
        ContactProvider ContactProvider* ContactItem*
        Contacts CN#
        ContactsUI CNContactViewController* CNContactPicker* ContactAccess*
        CoreAudio AudioObject* AudioDevice* AudioGetCurrentHostTime AudioConvertHostTime* kAudioObject* kAudioDevice*
        CoreAudioKit CABTMIDI* CAInterApp* AUViewController AUGenericView
        CoreAudioTypes
        CoreBluetooth CB#
        CoreData NSManagedObject* NSPersistentContainer NSPersistentCloudKit* NSPersistentStore* NSPersistentHistory*
        CoreData NSFetchRequest* NSFetchedResults* NSEntityDescription NSAttributeDescription NSPropertyDescription
        CoreData NSRelationshipDescription NSMergePolicy* NSMergeByProperty* NSBatch* NSMigrationManager NSMappingModel
        CoreData NSIncrementalStore* NSAsynchronousFetch* NSCoreData* NSInferMappingModel* NSSQLiteStoreType
        CoreHaptics CHHaptic*
        CoreImage CI#
        CoreLocationUI CLLocationButton LocationButton
        CoreMIDI MIDIClient* MIDIPort* MIDIEndpoint* MIDIPacket* MIDINetwork* MIDISource* MIDIDestination* MIDIEvent*
        CoreMIDI MIDIObject* MIDIDevice* MIDIGet* MIDISend* MIDIInput* MIDIOutput* MIDINotif* MIDIProtocolID MIDIUniqueID
        CoreML ML#
        CoreMotion CMMotion* CMPedometer* CMAltimeter CMAltitude* CMAbsoluteAltitude* CMDeviceMotion* CMAttitude*
        CoreMotion CMAccelerometer* CMAcceleration CMGyro* CMMagnetometer* CMMagneticField* CMRotation* CMSensor*
        CoreMotion CMStepCounter CMHeadphone* CMQuaternion CMCalibrated* CMAuthorizationStatus CMWater* CMFall*
        CoreNFC NFC*
        CoreServices UTTypeCreate* UTTypeConforms* UTTypeCopy* UTTypeEqual kUTType* kUTTag* LSCopy* LSOpen*
        CoreSpotlight CSSearch* CSIndex* CSLocalizedString CSPerson CSCustomAttributeKey CSUserQuery* CSSuggestion
        CoreTelephony CTTelephony* CTCarrier* CTCellular* CTRadioAccess* CTSubscriber* CTCall CTCallCenter CTService*
        CoreText CTFont* CTLine* CTFrame* CTRun* CTTypesetter* CTParagraph* CTGlyph* CTTextTab* CTRuby* kCT*
        CoreTransferable Transferable TransferRepresentation FileRepresentation ProxyRepresentation DataRepresentation
        CoreTransferable CodableRepresentation SentTransferredFile ReceivedTransferredFile
        CoreVideo CVPixel* CVImage* CVBuffer* CVMetal* CVOpenGL* CVReturn CVAttachment* CVTime* CVPlanar* kCV*
        CreateML MLDataTable MLImageClassifier MLTextClassifier MLRecommender
        CreateMLComponents
        CryptoTokenKit TK#
        DataDetection DataDetector* DDMatch*
        DeclaredAgeRange AgeRangeService
        DeveloperToolsSupport DeveloperToolsSupport*
        DeviceActivity DeviceActivity*
        DeviceCheck DCDevice DCError DCAppAttestService
        DeviceDiscoveryExtension DDDevice* DDDiscovery*
        DeviceDiscoveryUI DDDevicePicker* DevicePicker*
        DockKit DockAccessory*
        EnergyKit ElectricityGuidance* ElectricVehicle* EnergyVenue*
        EventKit EK#
        EventKitUI EKEventView* EKEventEdit* EKCalendarChooser*
        ExposureNotification EN#
        ExtensionFoundation AppExtension AppExtensionIdentity AppExtensionProcess AppExtensionPoint
        ExtensionKit EXHost* EXAppExtension* AppExtensionScene
        ExternalAccessory EAAccessory* EAWireless* EASession
        FamilyControls FamilyActivity* AuthorizationCenter FamilyControls*
        FileProvider NSFileProvider*
        FileProviderUI FPUI*
        FinanceKit FinanceStore
        FinanceKitUI TransactionPicker*
        FoundationModels LanguageModelSession SystemLanguageModel Generable GenerationOptions GenerationSchema
        FoundationModels GeneratedContent LanguageModelFeedback
        GLKit GLK*
        GSS gss_* GSSCred* GSSName*
        GameController GCController* GCKeyboard* GCMouse* GCGamepad GCExtendedGamepad* GCMicroGamepad* GCVirtual* GCDual*
        GameController GCXbox* GCMotion GCDevice* GCPhysical* GCRacing* GCEvent* GCHaptics*
        GameKit GK#
        GameSave GameSave*
        GameplayKit GK#
        GeoToolbox PlaceDescriptor
        GroupActivities GroupActivity GroupActivityMetadata GroupSession* GroupStateObserver
        HealthKit HK#
        HealthKitUI HKActivityRingView HKAuthorization*
        HomeKit HM#
        IdentityDocumentServices IdentityDocument*
        IdentityDocumentServicesUI IdentityDocumentProvider*
        IdentityLookup ILMessage* ILCall* ILClassification*
        IdentityLookupUI ILClassificationUI*
        ImageCaptureCore ICCamera* ICDevice* ICScanner*
        ImageIO CGImageSource* CGImageDestination* CGImageMetadata* CGAnimateImage* kCGImage*
        ImagePlayground ImageCreator ImagePlayground*
        Intents IN#
        IntentsUI INUI*
        IOKit IOService* IORegistry* IOPower* IOPS* IOObject* kIO*
        IOSurface IOSurface*
        JavaScriptCore JSContext* JSValue* JSVirtualMachine JSExport JSObject* JSString* JSGlobalContext* JSEvaluateScript
        JavaScriptCore JSManagedValue JSClass* JSCheckScriptSyntax
        JournalingSuggestions JournalingSuggestion*
        LightweightCodeRequirements ProcessCodeRequirement OnDiskCodeRequirement LaunchCodeRequirement
        LinkPresentation LP#
        LinkSecurity LinkSecurity*
        LiveCommunicationKit ConversationManager* ConversationAction*
        LocalAuthentication LAContext LAError LAPolicy LABiometry* LARight* LAPrivateKey LAPublicKey LASecret LACredential*
        LocalAuthenticationEmbeddedUI LAAuthenticationView
        LockedCameraCapture LockedCameraCapture*
        ManagedApp ManagedApp*
        ManagedAppDistribution ManagedAppView ManagedAppLibrary*
        ManagedSettings ManagedSettingsStore ShieldSettings ShieldAction* ApplicationToken WebDomainToken
        ManagedSettingsUI ShieldConfiguration*
        MapKit MK#
        AVKit AVPlayerViewController* AVPictureInPicture* AVRoutePicker* AVCaptureEvent* AVInputPicker* AVLegibleMedia*
        MarketplaceKit AppLibrary MarketplaceExtension AppDistributor
        Matter MTR#
        MatterSupport MatterAddDevice*
        MediaAccessibility MACaption* MAMusicHaptics* MADimFlashing* MAImageCaptioning*
        MediaExtension MEFormat* MERaw* MEVideo*
        MediaSetup MSSetupSession MSServiceAccount MSAuthenticationPresentationContext
        MediaToolbox MTAudioProcessingTap* MTCopyLocalizedName*
        MessageUI MFMail* MFMessage*
        Messages MSMessage* MSSession MSSticker* MSConversation
        Metal MTL*
        MetalFX MTLFX*
        MetalKit MTK*
        MetalPerformanceShaders MPSImage* MPSMatrix* MPSNN* MPSCNN* MPSCommand* MPSVector* MPSUnary* MPSKernel MPSDataType
        MetalPerformanceShaders MPSRay* MPSNDArray* MPSSupports* MPSTemporary* MPSTriangle* MPSState* MPSPredicate
        MetalPerformanceShadersGraph MPSGraph*
        MetricKit MX#
        MLCompute MLC#
        ModelIO MDL*
        MultipeerConnectivity MCSession* MCPeerID MCBrowser* MCNearby* MCAdvertiser* MCError* MCEncryption*
        MusicKit MusicAuthorization MusicCatalog* MusicLibrary* ApplicationMusicPlayer SystemMusicPlayer MusicItem*
        MusicKit MusicSubscription MusicDataRequest MusicPlayer
        NaturalLanguage NL#
        NearbyInteraction NI#
        NetworkExtension NE# NEVPN* NEDNS*
        NewsstandKit NKLibrary NKIssue NKAssetDownload
        NotificationCenter NCWidget*
        OpenAL alGen* alSource* alBuffer* alDelete* alListener* alcOpen* alcCreate* alcMake* alcClose* ALCcontext ALCdevice
        OpenGLES EAGL* GLKView glClear* glGen* glBind* glDraw* glUniform* glEnable* glVertex* GLuint GLfloat GLint
        PDFKit PDF#
        PHASE PHASE#
        PaperKit PaperMarkup* MarkupEditViewController
        PassKit PK# PKAddPass* PayWithApplePayButton AddPassToWalletButton
        PencilKit PKCanvas* PKDrawing* PKTool* PKInk* PKStroke* PKEraser* PKLasso* PKContent*
        PermissionKit PermissionQuestion CommunicationTopic
        Photos PH#
        PhotosUI PHPicker* PHLivePhotoView* PhotosPicker* PHContentEditing* PHEditingExtension*
        PlaygroundSupport PlaygroundPage XCPlayground*
        ProximityReader PaymentCardReader* MobileDocumentReader* ProximityReader*
        PushKit PKPush*
        PushToTalk PTChannel* PTParticipant PTPush* PTServiceStatus
        QuickLook QL#
        QuickLookThumbnailing QLThumbnail* QLFileThumbnail*
        RealityFoundation Entity ModelEntity AnchorEntity ModelComponent MeshResource SimpleMaterial
        RealityKit Entity ModelEntity AnchorEntity RealityView ModelComponent MeshResource SimpleMaterial ARView
        RealityKit HasAnchoring PerspectiveCamera UnlitMaterial TextureResource PhotogrammetrySession
        RelevanceKit RelevantContext
        ReplayKit RPScreenRecorder* RPBroadcast* RPPreview* RPSystemBroadcast* RPSampleBufferType RPRecording* RPError*
        RoomPlan RoomCapture* CapturedRoom* CapturedStructure RoomBuilder StructureBuilder
        SafariServices SFSafari* SFContentBlocker* SFAuthenticationSession SFAddToHomeScreen* SSReadingList*
        SafetyKit SACrashDetection* SAEmergency* SAAuthorizationStatus
        SceneKit SCN#
        ScreenCaptureKit SCStream* SCShareable* SCContentFilter SCContentSharing* SCScreenshot*
        ScreenTime STScreenTime* STWebpage* STWebHistory
        SecureElementCredential CredentialSession
        Security SecItem* SecKey* SecCertificate* SecTrust* SecIdentity* SecPolicy* SecRandom* SecAccess* SecCopyError*
        Security SecAddSharedWeb* SecCreateSharedWeb* SecPKCS12* SecTask* SecStaticCode* SecCode* SecBase* kSec* errSec*
        Security SSLCipherSuite SSLProtocol sec_protocol_* sec_identity_* sec_trust_*
        SecurityUI SFCertificatePresentation
        SensitiveContentAnalysis SCSensitivity* SCVideoStreamAnalyzer
        SensorKit SRSensor* SRFetch* SRAmbient* SRDevice* SRWrist* SRVisit SRKeyboard* SRPhoneUsage* SRMessagesUsage*
        SharedWithYou SWAttribution* SWCollaborationView* SWHighlight* SWRemovePartici*
        SharedWithYouCore SWCollaboration* SWPerson* SWAction SWStart* SWUpdate* SWSignedPerson*
        ShazamKit SHSession* SHSignature* SHMedia* SHCatalog SHCustomCatalog SHMatch* SHManagedSession SHLibrary SHError*
        Social SLCompose* SLRequest* SLServiceType*
        SoundAnalysis SNAudio* SNClassif* SNRequest SNResult SNResultsObserving SNError* SNTimeDuration*
        Spatial Point3D Vector3D Size3D Rect3D Rotation3D Pose3D Angle2D AffineTransform3D ProjectiveTransform3D
        Speech SFSpeech* SFTranscription* SFVoice* SFAcoustic* SpeechAnalyzer SpeechTranscriber DictationTranscriber
        SpriteKit SK# SpriteView
        StateReporting StateReport*
        StickerKit
        StoreKit SK# SKANError Product Transaction AppStore Storefront StoreView ProductView SubscriptionStoreView
        StoreKit ExternalPurchase* RequestReviewAction
        StoreKitTest SKTestSession SKTestTransaction
        SwiftData ModelContext ModelContainer ModelConfiguration FetchDescriptor PersistentModel PersistentIdentifier
        SwiftData Query Model ModelActor SchemaMigrationPlan VersionedSchema
        SwiftUICore
        Symbols
        TabularData DataFrame AnyColumn ColumnID CSVReadingOptions
        TelephonyMessagingKit TelephonyMessaging*
        ThreadNetwork TH#
        TipKit Tip Tips TipView TipUIView TipUIPopoverViewController TipGroup
        TouchController TCTouch* TCButton TCThumbstick
        Translation TranslationSession LanguageAvailability
        TranslationUIProvider TranslationUIProvider*
        Twitter TWTweet* TWRequest
        UniformTypeIdentifiers UTType UTTypeReference UTTag*
        UserNotificationsUI UNNotificationContentExtension*
        VideoSubscriberAccount VSAccount* VSSubscription* VSUserAccount*
        VideoToolbox VT#
        Vision VN# VNNAnimal* RecognizeTextRequest DetectBarcodesRequest DetectFaceRectanglesRequest ImageRequestHandler
        VisionKit VNDocumentCamera* DataScanner* ImageAnalysis* ImageAnalyzer*
        VisualIntelligence SemanticContentDescriptor
        WatchConnectivity WCSession* WCError*
        WeatherKit WeatherService WeatherAttribution CurrentWeather DayWeather HourWeather WeatherQuery WeatherMetadata
        WebKit WK# WebView WebPage
        WidgetKit WidgetCenter Widget WidgetBundle WidgetFamily WidgetConfiguration TimelineProvider TimelineEntry Timeline
        WidgetKit IntentTimelineProvider AppIntentTimelineProvider StaticConfiguration IntentConfiguration
        WidgetKit AppIntentConfiguration ActivityConfiguration DynamicIsland* ControlWidget* ControlCenter
        WidgetKit AccessoryWidgetBackground WidgetInfo WidgetURL
        WiFiAware WAPairedDevice WAPublishableService WASubscribableService WAEndpoint
        WiFiInfrastructure WINetwork*
        WorkoutKit CustomWorkout WorkoutPlan WorkoutScheduler IntervalBlock WorkoutStep SingleGoalWorkout PacerWorkout
        XCUIAutomation XCUI*
        XPC xpc_* XPCSession XPCListener
        asl asl_*
        dnssd DNSService* kDNSService*
        iAd ADBanner* ADClient ADInterstitial*
        libxml2 xmlDoc* xmlNode* xmlRead* xmlFree* xmlXPath* htmlRead* htmlDoc* xmlParse*
        notify notify_*
        simd simd_* float2 float3 float4 double2 double3 double4 float2x2 float3x3 float4x4 double2x2 double3x3 double4x4
        simd matrix_float* matrix_double* matrix_identity_* matrix_multiply vector_float* vector_double* vector_int*
        """
}
